/** @jest-environment jest-fixed-jsdom */
require('./promises.js')
