// @ts-check
/** @import { PageRequest, PageRow, PageState } from './page.ts' */

const order = [
  'links',
  'qrs',
  'campaigns',
  'channels',
  'pixels',
  'domains',
  'files',
  'overlays',
  'splash',
  'bios',
  'openerLinks',
  'account',
]

/** @type {Record<string, string>} */
const titles = { qrs: 'QR codes', bios: 'Bio pages', splash: 'Splash pages', openerLinks: 'Opener links' }

/** @type {Record<string, object>} */
const faults = {
  'gets a 500': { status: 500 },
  'gets a 429': { status: 429, headers: { 'Retry-After': '5' } },
  'gets a 401': { status: 401 },
  'is refused in a 200': { status: 200, body: { error: 1, message: 'The sandbox was told to refuse this.' } },
  'gets an HTML page': { status: 502, body: '<html><body><h1>502 Bad Gateway</h1></body></html>' },
  'loses its response': { drop: 'after' },
  'is dropped before the work': { drop: 'before' },
  'takes five seconds': { delay: 5000 },
  'is redirected': { redirect: 'https://moved.example/' },
}

/** @type {Record<string, number>} */
const steps = { '10 seconds': 10_000, 'one minute': 60_000, 'one hour': 3_600_000, 'one day': 86_400_000 }

/** @type {PageState} */
let state
/** The previous rows of each list, by id, to mark new and changed rows. @type {Record<string, Map<unknown, string>>} */
let seen = {}
let list = order.includes(location.hash.slice(1)) ? location.hash.slice(1) : 'links'
/** The lines of the log, by request. @type {Map<string, HTMLLIElement>} */
const lines = new Map()

/**
 * Returns the element with this id.
 * @template {HTMLElement} [Kind=HTMLElement]
 * @param {string} id
 * @returns {Kind}
 */
function byId(id) {
  return /** @type {Kind} */ (document.getElementById(id))
}

/**
 * Creates an element.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {string | number} [text]
 * @param {string} [className]
 */
function createElement(tag, text, className) {
  const element = document.createElement(tag)
  if (text !== undefined) element.textContent = String(text)
  if (className) element.className = className
  return element
}

/** @param {string} name */
function getTitle(name) {
  return titles[name] ?? name.charAt(0).toUpperCase() + name.slice(1)
}

function showLists() {
  byId('lists').replaceChildren(
    ...order.map((name) => {
      const button = createElement('button', getTitle(name))
      button.type = 'button'
      button.append(createElement('span', state.lists[name]?.total))
      if (name === list) button.setAttribute('aria-current', 'true')
      button.addEventListener('click', () => {
        list = name
        history.replaceState(null, '', `#${name}`)
        show()
      })
      return button
    }),
  )
}

/**
 * Formats a value for a table.
 * @param {unknown} value
 */
function formatText(value) {
  if (value === undefined || value === '' || value === null || (Array.isArray(value) && value.length === 0)) return '–'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (Array.isArray(value))
    return value.map((item) => (typeof item === 'object' ? JSON.stringify(item) : item)).join(', ')
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/**
 * @param {string} address
 * @param {string} text
 */
function createLink(address, text) {
  const anchor = createElement('a', text)
  anchor.href = address
  anchor.target = '_blank'
  anchor.rel = 'noreferrer'
  return anchor
}

/** The columns that a table shows first, because a narrow window cuts off the others. */
const firstColumns = ['id', 'shorturl', 'longurl', 'url', 'clicks', 'scans', 'title', 'name', 'data']

/**
 * Returns the columns of a table: short addresses instead of their parts, and no column that is empty in every row.
 * @param {PageRow[]} rows
 */
function getColumns(rows) {
  const [first = {}] = rows
  const names = Object.keys(first).filter((name) => name !== 'alias' && !('alias' in first && name === 'domain'))
  if ('alias' in first) names.push('shorturl')
  const rank = (/** @type {string} */ name) => (firstColumns.includes(name) ? firstColumns.indexOf(name) : names.length)
  const isEmpty = (/** @type {string} */ name) => name in first && rows.every((row) => formatText(row[name]) === '–')
  return names.filter((name) => !isEmpty(name)).sort((one, other) => rank(one) - rank(other))
}

/**
 * Returns the short address of a row, as a link if it is on the domain of the sandbox: others cannot be opened.
 * @param {PageRow} row
 */
function createShortAddress(row) {
  const alias = encodeURIComponent(String(row.alias))
  if (list === 'openerLinks') return `${location.origin}/opener/${alias}`
  const text = `${row.domain}/${alias}`
  return row.domain === state.site ? createLink(`${location.origin}/${alias}`, text) : text
}

/**
 * @param {string} name
 * @param {PageRow} row
 */
function createCell(name, row) {
  const value = row[name]
  const text = formatText(value)
  const td = createElement('td', text, typeof value === 'number' ? 'number' : text === '–' ? 'empty' : '')
  if (name === 'url' || name === 'longurl') td.replaceChildren(createLink(text, text))
  if (name === 'shorturl') td.replaceChildren(createShortAddress(row))
  td.title = td.textContent ?? ''
  return td
}

function showRows() {
  const { rows, total } = state.lists[list] ?? { rows: [], total: 0 }
  byId('name').replaceChildren(
    getTitle(list),
    createElement('small', total > rows.length ? `newest ${rows.length} of ${total}` : total),
  )
  const [first] = rows
  if (!first) {
    const tr = createElement('tr')
    tr.append(createElement('td', 'Nothing here yet.', 'empty'))
    byId('head').replaceChildren()
    byId('rows').replaceChildren(tr)
    return
  }
  const columns = getColumns(rows)
  const head = createElement('tr')
  head.append(...columns.map((name) => createElement('th', name, typeof first[name] === 'number' ? 'number' : '')))
  byId('head').replaceChildren(head)
  byId('rows').replaceChildren(
    ...rows.map((row) => {
      const known = seen[list]
      const tr = createElement('tr', undefined, known && known.get(row.id) !== JSON.stringify(row) ? 'fresh' : '')
      tr.append(...columns.map((name) => createCell(name, row)))
      return tr
    }),
  )
}

/** @param {PageRequest} request */
function isRefused({ status, done }) {
  return !done || status === undefined || status >= 400
}

/**
 * Creates a line of the log, which shows the rest of the request when it is opened.
 * @param {PageRequest} request
 */
function createRequestLine(request) {
  const { api, method, path, query, headers, body, status, done, at } = request
  const search = Object.keys(query).length > 0 ? `?${new URLSearchParams(query)}` : ''
  const summary = createElement('summary', undefined, isRefused(request) ? 'refused' : '')
  const address = createElement('span', (api === 'opener' ? 'opener ' : '') + path + search, 'path')
  address.title = path + search
  summary.append(
    createElement('span', method, 'method'),
    address,
    createElement('span', (done ? '✓ ' : '✗ ') + (status ?? 'no response'), isRefused(request) ? 'refused' : 'done'),
  )
  const dl = createElement('dl')
  const add = (/** @type {string} */ name, /** @type {string | Node} */ value) => {
    const dd = createElement('dd')
    dd.append(value)
    dl.append(createElement('dt', name), dd)
  }
  add('at', new Date(at).toLocaleString())
  add('work', done ? 'done' : 'not done')
  for (const [name, value] of Object.entries(query)) add(`?${name}`, value)
  if (headers['content-type']) add('type', headers['content-type'])
  if (body) add('sent', createElement('pre', typeof body === 'string' ? body : JSON.stringify(body, null, 2)))
  const details = createElement('details')
  details.append(summary, dl)
  const li = createElement('li')
  li.append(details)
  return li
}

/** @param {boolean} isFirst */
function showRequests(isFirst) {
  byId('total').textContent = String(state.total)
  const shown = state.requests.map((request) => {
    const key = JSON.stringify(request)
    let line = lines.get(key)
    if (!line) {
      line = createRequestLine(request)
      if (!isFirst) line.className = 'fresh'
      lines.set(key, line)
    }
    return line
  })
  for (const [key, line] of lines) if (!shown.includes(line)) lines.delete(key)
  const log = byId('log')
  if (shown.length === 0) log.replaceChildren(createElement('p', 'None yet.'))
  // Only what has changed is replaced, so that an opened line stays open.
  else if (shown.length !== log.children.length || shown.some((line, place) => log.children[place] !== line)) {
    log.replaceChildren(...shown)
  }
}

function showRateLimit() {
  byId('budget').hidden = !state.rateLimit
  if (!state.rateLimit) return
  const { limit, remaining, resetAt } = state.rateLimit
  const bar = /** @type {HTMLProgressElement} */ (byId('left'))
  bar.max = limit
  bar.value = remaining
  const wait = resetAt ? `, again in ${Math.ceil((resetAt - state.now) / 1000)} s` : ''
  byId('leftText').textContent = `${remaining} of ${limit}${wait}`
}

function show(isFirst = false) {
  byId('dialect').textContent = `${state.dialect} dialect`
  byId('dialect').title = state.dialect
  byId('apiKey').textContent = state.accessKey
  showRateLimit()
  showLists()
  showRows()
  showRequests(isFirst)
  seen = Object.fromEntries(
    Object.entries(state.lists).map(([name, { rows }]) => [
      name,
      new Map(rows.map((row) => [row.id, JSON.stringify(row)])),
    ]),
  )
}

async function refresh() {
  const live = byId('live')
  try {
    const response = await fetch('/sandbox/state')
    const isFirst = state === undefined
    state = await response.json()
    show(isFirst)
    live.textContent = 'live'
    live.className = 'tag'
  } catch {
    live.textContent = 'stopped'
    live.className = 'tag off'
  }
}

/**
 * Calls a path that controls the sandbox, and shows the outcome.
 * @param {string} action
 * @param {object} body
 * @param {string} success
 */
async function control(action, body, success) {
  const headers = { 'Content-Type': 'application/json' }
  const response = await fetch(`/sandbox/${action}`, { method: 'POST', headers, body: JSON.stringify(body) })
  byId('outcome').textContent = response.ok ? success : (await response.json()).error
  await refresh()
}

/**
 * Fills a select with names.
 * @param {string} id
 * @param {Record<string, unknown>} choices
 */
function fillSelect(id, choices) {
  const select = /** @type {HTMLSelectElement} */ (byId(id))
  select.append(...Object.keys(choices).map((name) => new Option(name)))
  return select
}

const fault = fillSelect('fault', faults)
const step = fillSelect('step', steps)
step.value = 'one minute'
byId('baseUrl').textContent = `${location.origin}/api`
byId('openerUrl').textContent = `${location.origin}/opener`
byId('fail').addEventListener('click', () => {
  control('fail', faults[fault.value] ?? {}, `The next request ${fault.value}.`)
})
byId('advance').addEventListener('click', () => {
  control('advance', { ms: steps[step.value] }, `The clock has advanced by ${step.value}.`)
})
byId('reset').addEventListener('click', () => control('reset', {}, 'The sandbox has been reset.'))
for (const button of document.querySelectorAll('button[data-copy]')) {
  button.addEventListener('click', async () => {
    const target = byId(button.getAttribute('data-copy') ?? '')
    // Except on loopback, an http: page has no clipboard, so the text is selected instead.
    getSelection()?.selectAllChildren(target)
    await navigator.clipboard?.writeText(target.textContent ?? '')
    button.textContent = navigator.clipboard ? 'Copied' : 'Selected'
    setTimeout(() => {
      button.textContent = 'Copy'
    }, 1500)
  })
}

await refresh()
setInterval(refresh, 1000)
