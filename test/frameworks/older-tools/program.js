const { ShortLinkClient, createSandbox } = require('./vendor/shortlink.js')

const client = new ShortLinkClient(createSandbox().clientOptions)
client.account.get().then(({ status }) => console.log('account', status))
