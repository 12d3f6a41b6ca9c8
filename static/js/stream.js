// One stream of events by its socket: remembers the last number, reconnects, and asks for what it missed.

const NOT_FOUND = 4404;
const RETRY_MS = [300, 1000, 2000, 4000, 8000, 15000];

export class Stream {
  constructor(path, after, { onEvent, onOpen, onClosed, onGone }) {
    this.path = path;
    this.last = after;
    this.handlers = { onEvent, onOpen, onClosed, onGone };
    this.failures = 0;
    this.connect();
    addEventListener("online", () => this.hurry());
    document.addEventListener("visibilitychange", () => { if (!document.hidden) this.hurry(); });
  }

  connect() {
    clearTimeout(this.timer);
    this.timer = null;
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const socket = new WebSocket(`${scheme}://${location.host}${this.path}?after=${this.last}`);
    this.socket = socket;
    socket.addEventListener("open", () => { this.handlers.onOpen(); });
    socket.addEventListener("message", (message) => this.receive(JSON.parse(message.data)));
    socket.addEventListener("close", (event) => this.closed(event.code));
  }

  receive(event) {
    this.failures = 0;
    if (event.number !== null) {
      if (event.number <= this.last) return;
      this.last = event.number;
    }
    this.handlers.onEvent(event.type, event.payload, event.number);
  }

  closed(code) {
    if (code === NOT_FOUND) {
      this.handlers.onGone();
      return;
    }
    this.handlers.onClosed();
    const wait = RETRY_MS[Math.min(this.failures, RETRY_MS.length - 1)];
    this.failures += 1;
    this.timer = setTimeout(() => this.connect(), wait * (0.75 + Math.random() / 2));
  }

  // The person is back: do not make them wait for the next attempt.
  hurry() {
    if (this.timer) this.connect();
  }
}
