// Requests of the page: same origin, with the CSRF token, failures in words a person can read.

// ``way`` leads on, where trying again does not: { href, words }.
export class RequestError extends Error {
  constructor(message, status, code = "") {
    super(message);
    this.status = status;
    this.code = code;
    this.way = ways[code]?.() ?? null;
  }
}

// Log-in leads back here; somebody who is logged in is led back at once, to a page with tokens of today.
const again = (words) => ({ href: `/login/?next=${encodeURIComponent(location.pathname + location.search)}`, words });
const ways = {
  logged_out: () => again("Log in"),
  csrf: () => again("Load it again"),
};

const UNREACHABLE = "The server could not be reached. Check your connection and try again.";
const UNEXPECTED = "Something went wrong. Try again in a moment.";

function token() {
  return document.querySelector("input[name=csrfmiddlewaretoken]")?.value ?? "";
}

// The one that this page shows; another window may have switched to another one.
function organization() {
  return document.querySelector("[data-organization]")?.dataset.organization ?? "";
}

export async function request(url, options = {}) {
  const headers = { "X-Requested-With": "fetch", "X-Page-Organization": organization() };
  if (options.method === "POST") headers["X-CSRFToken"] = token();
  let response;
  try {
    response = await fetch(url, { ...options, headers, credentials: "same-origin" });
  } catch {
    throw new RequestError(UNREACHABLE, 0);
  }
  if (!response.ok) throw await explain(response);
  return response;
}

async function explain(response) {
  try {
    const { detail, code } = await response.json();
    return new RequestError(detail || UNEXPECTED, response.status, code);
  } catch {
    return new RequestError(UNEXPECTED, response.status);
  }
}

export function post(url, body) {
  return request(url, { method: "POST", body });
}

export async function getText(url) {
  return (await request(url)).text();
}
