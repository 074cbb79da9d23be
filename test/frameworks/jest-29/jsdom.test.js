/** @jest-environment jsdom */
require('./promises.js')
