/** @jest-environment node */
require('./promises.js')
