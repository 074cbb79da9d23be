// The globals of a React Native app: its own URL, and fetch and AbortController from npm, or its own since 0.88.

import Blob from 'react-native/Libraries/Blob/Blob'
import { URL, URLSearchParams } from 'react-native/Libraries/Blob/URL'
import { fetch, Headers, Request, Response } from 'whatwg-fetch'

const { AbortController, AbortSignal } = globalThis.hasNewAbortController
  ? {
      AbortController: require('react-native/src/private/webapis/dom/abort-api/AbortController').AbortController,
      AbortSignal: require('react-native/src/private/webapis/dom/abort-api/AbortSignal').AbortSignal_public,
    }
  : require('abort-controller/dist/abort-controller')

Object.assign(globalThis, {
  Blob,
  URL,
  URLSearchParams,
  fetch,
  Headers,
  Request,
  Response,
  AbortController,
  AbortSignal,
})
