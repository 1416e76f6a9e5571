// The consent page: it asks this server what the request is, shows it, and sends the answer. The session is
// kept in this module's memory and nowhere else.
const API = "/api/v1";
const FIELDS = [
  "client_id",
  "redirect_uri",
  "response_type",
  "scope",
  "state",
  "code_challenge",
  "code_challenge_method",
  "resource",
];

const query = new URLSearchParams(location.search);
const request = Object.fromEntries(
  FIELDS.flatMap((name) => (query.has(name) ? [[name, query.get(name)]] : [])),
);

let session;
let nonce;

const element = (id) => document.getElementById(id);
const show = (id, is_shown = true) => {
  element(id).hidden = !is_shown;
};

function tell(problem) {
  element("problem").textContent = problem;
  show("problem", problem !== "");
  show("status", false);
}

async function call(path, { method = "GET", body, headers = {} } = {}) {
  const bearer = session ? { Authorization: `Bearer ${session}` } : {};
  const json = body ? { "Content-Type": "application/json" } : {};
  const response = await fetch(API + path, {
    method,
    headers: { ...bearer, ...json, ...headers },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  return { status: response.status, is_ok: response.ok, answer: await response.json() };
}

/** Works on the server's own machine, where nothing needs to be configured. */
async function openSession(secret) {
  const headers = secret ? { "X-Bootstrap-Secret": secret } : {};
  const { is_ok, answer } = await call("/auth/local-session", { method: "POST", headers });
  if (is_ok) session = answer.access_token;
  return is_ok;
}

/** Resolves with whether the caller may consent. */
async function describe() {
  const { is_ok, answer } = await call(`/oauth/authorize-info?${new URLSearchParams(request)}`);
  if (answer.redirect_uri_valid) showRequest(answer);
  if (is_ok && answer.redirect_uri_valid) {
    nonce = answer.consent_nonce;
    return nonce !== undefined;
  }
  tell(
    answer.error_description ??
      answer.message ??
      "This address is not one that the client registered.",
  );
  if (answer.redirect_url) {
    element("return-link").href = answer.redirect_url;
    show("return");
  }
  return undefined;
}

function showRequest({ client_name, redirect_place, resource, scopes }) {
  element("client").textContent = redirect_place;
  element("name").textContent = client_name;
  element("place").textContent = redirect_place;
  element("resource").textContent = resource;
  show("manage", scopes.includes("manage"));
  show("request");
  show("status", false);
}

async function answerWith(is_allowed) {
  const scope = new FormData(element("consent")).get("scope");
  const body = { ...request, consent_nonce: nonce, approved_scopes: [scope], deny: !is_allowed };
  const { is_ok, answer } = await call("/oauth/approve", { method: "POST", body });
  if (!is_ok) {
    tell(answer.error_description ?? answer.message);
    return;
  }
  show("consent", false);
  show("request", false);
  element("heading").textContent = is_allowed ? "Access is allowed" : "Access is not allowed";
  element("status").textContent = "Going back to the program that asked; you can close this page.";
  show("status");
  location.assign(answer.redirect_url);
}

function busy(form, is_busy) {
  for (const button of form.querySelectorAll("button")) button.disabled = is_busy;
}

function onSubmit(id, work) {
  const form = element(id);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    busy(form, true);
    tell("");
    try {
      await work(event.submitter);
    } catch {
      tell("The server can't be reached. Try again.");
    }
    busy(form, false);
  });
}

async function signIn() {
  const secret = element("secret").value.trim();
  const is_token = secret.startsWith("bb_") || secret.split(".").length === 3;
  session = is_token ? secret : undefined;
  if (!is_token && !(await openSession(secret))) {
    tell("That is neither a token nor this server's bootstrap secret.");
    return;
  }
  if (await describe()) {
    element("secret").value = "";
    ready();
    return;
  }
  session = undefined;
  if (element("problem").hidden) tell("That token is not an administrator's.");
}

function ready() {
  show("sign-in", false);
  show("consent");
  element("heading").focus();
}

onSubmit("sign-in", signIn);
onSubmit("consent", (submitter) => answerWith(submitter?.value === "allow"));

try {
  await openSession();
  const may_consent = await describe();
  if (may_consent) ready();
  else if (may_consent === false) show("sign-in");
} catch {
  tell("The server can't be reached. Load this page again.");
}
