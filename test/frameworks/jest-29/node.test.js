/** @jest-environment node */
require('./build/promises.js')
