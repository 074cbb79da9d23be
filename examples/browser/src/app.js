import { isShortLinkError, ShortLinkClient } from 'shortlink-sdk'

// No key: the proxy adds it.
const client = new ShortLinkClient({
  baseUrl: new URL('/api/shortlink', location.href),
  openerUrl: new URL('/api/shortlink/opener', location.href),
  apiKey: null,
  onResponse: showRate,
})

const $ = (id) => document.getElementById(id)

/** Clones a template's first element. */
const fromTemplate = (id) => $(id).content.firstElementChild.cloneNode(true)

function showRate() {
  const { remaining, limit } = client.rateLimit
  if (remaining === undefined) return
  $('rate').max = limit
  $('rate').value = remaining
  $('rate-text').textContent = `${remaining} of ${limit} requests left`
}

/** Runs work, and shows its error on the page. */
async function attempt(work) {
  $('error').hidden = true
  try {
    await work()
  } catch (error) {
    $('error').textContent = isShortLinkError(error) ? error.message : `This page failed: ${error}`
    $('error').hidden = false
  }
}

function row(name, badge, link) {
  const item = fromTemplate('row')
  item.querySelector('.name').textContent = name
  item.querySelector('.badge').textContent = badge
  item.querySelector('.badge').hidden = !badge
  const anchor = item.querySelector('a')
  if (link) Object.assign(anchor, { href: link, textContent: link.replace(/^https?:\/\//, '') })
  else anchor.remove()
  return item
}

async function showCampaigns() {
  const rows = []
  for await (const { name, public: isPublic, list } of client.campaigns.list()) {
    rows.push(row(name, isPublic ? 'public' : '', list))
  }
  $('campaigns').replaceChildren(...rows)
  $('campaigns-count').textContent = rows.length
}

async function showFiles() {
  const files = await client.files.list().toArray()
  const newestFirst = files.sort((a, b) => b.id - a.id)
  const downloads = (count) => (count ? `${count} ${count === 1 ? 'download' : 'downloads'}` : '')
  $('files').replaceChildren(...newestFirst.map((file) => row(file.name, downloads(file.downloads), file.shorturl)))
  $('files-count').textContent = files.length
}

async function upload(file) {
  $('upload').hidden = false
  $('upload-name').textContent = file.name
  $('upload-done').textContent = ''
  const show = (share) => {
    $('upload-bar').value = share
    $('upload-percent').textContent = `${Math.floor(share * 100)} %`
  }
  show(0)
  const onProgress = ({ loaded, total }) => show(total ? loaded / total : 1)
  const { shorturl } = await client.files.upload(file.name, file, { name: file.name }, { timeout: false, onProgress })
  show(1)
  $('upload-done').textContent = `Shared as ${shorturl}`
  await showFiles()
}

async function makeOpenerLink(url) {
  const link = await client.opener.create({ url })
  Object.assign($('opener-short'), { href: link.shorturl, textContent: link.shorturl })
  $('opener-provider').textContent = link.provider
  $('opener-status').textContent = link.status
  $('opener-targets').replaceChildren(
    ...link.devicetarget.map((target) => {
      const item = fromTemplate('target')
      item.querySelector('dt').textContent = target.device
      item.querySelector('code').textContent = target.link
      return item
    }),
  )
  $('opener-result').hidden = false
}

$('opener').addEventListener('submit', (event) => {
  event.preventDefault()
  attempt(() => makeOpenerLink($('url').value))
})
$('opener-copy').addEventListener('click', () => attempt(() => navigator.clipboard.writeText($('opener-short').href)))
$('file').addEventListener('change', ({ target }) => {
  const [file] = target.files
  if (file) attempt(() => upload(file))
})
for (const type of ['dragover', 'dragleave', 'drop']) {
  $('drop').addEventListener(type, (event) => {
    event.preventDefault()
    $('drop').classList.toggle('over', type === 'dragover')
    const file = event.dataTransfer?.files[0]
    if (type === 'drop' && file) attempt(() => upload(file))
  })
}

await attempt(() => Promise.all([showCampaigns(), showFiles()]))
