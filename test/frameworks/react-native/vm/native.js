// Replaces the native side of React Native: timers and the network. check.mts receives printed lines as messages, and
// evaluates `native.fire(…)` and `native.respond(…)` here.
const timers = new Map()
const requests = new Map()
let count = 0

const post = (message) => print(`@${JSON.stringify(message)}`)

globalThis.native = {
  fire(id) {
    const callback = timers.get(id)
    timers.delete(id)
    callback?.()
  },
  respond(id, response) {
    requests.get(id)?.end(response)
    requests.delete(id)
  },
}

globalThis.setTimeout = (callback, ms = 0, ...args) => {
  const id = ++count
  timers.set(id, () => callback(...args))
  post({ timer: id, ms })
  return id
}
globalThis.clearTimeout = (id) => void timers.delete(id)
globalThis.queueMicrotask = (callback) => void Promise.resolve().then(callback)
globalThis.performance = { now: () => Date.now() }
globalThis.nativeModuleProxy = {}
globalThis.window = globalThis
globalThis.self = globalThis
globalThis.navigator = { product: 'ReactNative' }

globalThis.XMLHttpRequest = class XMLHttpRequest {
  headers = {}
  open(method, url) {
    Object.assign(this, { method, url })
  }
  setRequestHeader(name, value) {
    this.headers[name] = value
  }
  getAllResponseHeaders() {
    return this.responseHeaders
  }
  send(body) {
    this.id = ++count
    requests.set(this.id, this)
    const bytes = typeof body === 'object' && body !== null ? [...new Uint8Array(body.buffer ?? body)] : undefined
    post({ request: this.id, method: this.method, url: this.url, headers: this.headers, body: bytes ?? body })
  }
  abort() {
    requests.delete(this.id)
    this.readyState = 4
    this.onabort?.()
  }
  end(response) {
    this.readyState = 4
    this.status = response.status
    this.statusText = ''
    this.responseURL = this.url
    this.responseHeaders = response.headers
    this.response = response.body
    this.responseText = response.body
    this.onload()
  }
}

// The engine in React Native 0.81 is newer than the one on npm for this machine.
Array.prototype.at ??= function (index) {
  return this[index < 0 ? this.length + index : index]
}
globalThis.TextEncoder ??= class TextEncoder {
  encode(text) {
    return Uint8Array.from(unescape(encodeURIComponent(text)), (character) => character.charCodeAt(0))
  }
}
