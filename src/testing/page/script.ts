/** The page's program, as text: it asks for the state once a second and shows what is new. */
export const script = `
'use strict'
const at = (id) => document.getElementById(id)
const order = ['campaigns', 'channels', 'links', 'qrs', 'pixels', 'domains', 'files', 'overlays', 'splash', 'bios', 'openerLinks', 'account']
const titles = { qrs: 'QR codes', bios: 'Bio pages', splash: 'Splash pages', openerLinks: 'Opener links' }
const title = (list) => titles[list] || list
let state
let seen
let list = location.hash.slice(1) || order[0]

function make(tag, text, className) {
  const element = document.createElement(tag)
  if (text !== undefined) element.textContent = text
  if (className) element.className = className
  return element
}

function showLists() {
  at('lists').replaceChildren(...order.map((name) => {
    const button = make('button', title(name))
    button.append(make('span', state.lists[name].total))
    if (name === list) button.setAttribute('aria-current', 'true')
    button.onclick = () => { list = name; history.replaceState(null, '', '#' + name); show() }
    return button
  }))
}

function cell(name, value, row) {
  const td = make('td', undefined, typeof value === 'number' ? 'number' : '')
  if (value === '' || value === null || value.length === 0) { td.textContent = '–'; td.className = 'empty' }
  else if (typeof value === 'boolean') td.textContent = value ? 'yes' : 'no'
  else if (Array.isArray(value)) td.textContent = value.join(', ')
  else if (typeof value === 'object') td.textContent = JSON.stringify(value)
  else td.textContent = value
  if (name === 'color') {
    const swatch = make('i')
    swatch.style.background = value
    td.prepend(swatch)
  }
  if (name === 'alias' && row.domain === state.site) {
    const link = make('a', value)
    link.href = '/' + encodeURIComponent(value)
    link.target = '_blank'
    td.replaceChildren(link)
  }
  td.title = td.textContent
  return td
}

function showRows() {
  const { rows, total } = state.lists[list]
  at('name').replaceChildren(title(list), make('small', total > rows.length ? 'newest ' + rows.length + ' of ' + total : total))
  if (rows.length === 0) {
    const td = make('td', 'Nothing here yet.', 'empty')
    const tr = make('tr')
    tr.append(td)
    at('head').replaceChildren()
    return at('rows').replaceChildren(tr)
  }
  const columns = Object.keys(rows[0])
  const head = make('tr')
  head.append(...columns.map((name) => make('th', name, typeof rows[0][name] === 'number' ? 'number' : '')))
  at('head').replaceChildren(head)
  at('rows').replaceChildren(...rows.map((row) => {
    const text = JSON.stringify(row)
    const before = seen && seen[list].get(row.id)
    const tr = make('tr', undefined, seen && before !== text ? 'fresh' : '')
    tr.append(...columns.map((name) => cell(name, row[name], row)))
    return tr
  }))
}

function showRequests(known) {
  at('total').textContent = state.total
  if (state.total === 0) return at('log').replaceChildren(make('p', 'None yet. The command has printed a curl line to try.'))
  at('log').replaceChildren(...state.requests.map((request, index) => {
    const li = make('li', undefined, known !== undefined && index < state.total - known ? 'fresh' : '')
    const path = make('span', (request.api === 'opener' ? 'opener ' : '') + request.path, 'path')
    path.title = new Date(request.at).toLocaleTimeString() + (request.done ? ', done' : ', not done')
    const status = request.status === undefined ? 'no answer' : request.status
    li.append(
      make('span', request.method, 'method'),
      path,
      make('span', (request.done ? '✓ ' : '') + status, 's' + Math.floor((request.status || 0) / 100)),
    )
    return li
  }))
}

function show(known) {
  at('dialect').textContent = state.dialect + ' dialect'
  at('budget').hidden = !state.rateLimit
  if (state.rateLimit) {
    const { limit, remaining, resetAt } = state.rateLimit
    at('left').max = limit
    at('left').value = remaining
    at('leftText').textContent = remaining + ' of ' + limit + (resetAt ? ', again in ' + Math.ceil((resetAt - state.now) / 1000) + ' s' : '')
  }
  showLists()
  showRows()
  showRequests(known)
  seen = Object.fromEntries(order.map((name) => [name, new Map(state.lists[name].rows.map((row) => [row.id, JSON.stringify(row)]))]))
}

async function look() {
  try {
    const next = await (await fetch('/sandbox.json')).json()
    const known = state && state.total
    state = next
    show(known)
    at('live').textContent = 'live'
    at('live').className = 'tag'
  } catch {
    at('live').textContent = 'stopped'
    at('live').className = 'tag off'
  }
  setTimeout(look, 1000)
}
look()
`
