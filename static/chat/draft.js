// What stands in the composer of one chat, kept for this tab: it outlives a reload, going back, and a new log-in.

const PREFIX = "draft:";

export class Draft {
  // ``owner`` is the membership: somebody else who logs in in this tab finds nothing of it.
  constructor(owner, conversation) {
    this.owner = owner;
    this.moveTo(conversation);
  }

  // A chat that has not begun goes by its address, which names the record it is about.
  moveTo(conversation) {
    this.key = `${PREFIX}${this.owner}:${conversation || location.pathname + location.search}`;
  }

  read() {
    try {
      return JSON.parse(sessionStorage.getItem(this.key));
    } catch {
      return null; // no storage here, or nothing of ours in it
    }
  }

  // ``sent`` is the message that was sent last, with an unknown end: the same text is the same message still.
  keep({ text, refs, sent }) {
    if (!text && !refs.length) return this.clear();
    try {
      sessionStorage.setItem(this.key, JSON.stringify({ text, refs, sent }));
    } catch {
      // It stays on the page alone.
    }
  }

  clear() {
    try {
      sessionStorage.removeItem(this.key);
    } catch {
      // Nothing was kept.
    }
  }
}
