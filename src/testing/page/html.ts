import { script } from './script.ts'
import { style } from './style.ts'

/** The page as a whole, and the policy it is served under: it loads nothing and asks only its own origin. */
export function pageHtml(nonce: string): { html: string; policy: string } {
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src 'nonce-${nonce}'`,
    "connect-src 'self'",
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Short-link sandbox</title>
<link rel="icon" href="data:image/svg+xml,${encodeURIComponent(icon)}">
<style nonce="${nonce}">${style}</style>
</head>
<body>
<header>
  <h1>Short-link sandbox</h1>
  <span id="dialect" class="tag"></span>
  <span id="live" class="tag">live</span>
  <div id="budget" hidden><label for="left">Requests left</label> <progress id="left"></progress> <b id="leftText"></b></div>
</header>
<nav id="lists" aria-label="What is stored"></nav>
<main>
  <h2 id="name"></h2>
  <div class="scroll"><table><thead id="head"></thead><tbody id="rows"></tbody></table></div>
</main>
<aside>
  <h2>Requests <small id="total"></small></h2>
  <ol id="log"></ol>
</aside>
<script nonce="${nonce}">${script}</script>
</body>
</html>`
  return { html, policy }
}

const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="4" fill="#5b5bd6"/><path d="M5 8h6M5 6a2 2 0 0 0 0 4M11 6a2 2 0 0 1 0 4" stroke="#fff" stroke-width="1.6" fill="none"/></svg>`
