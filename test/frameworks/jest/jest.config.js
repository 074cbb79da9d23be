// Jest below Node 24.9 requires CommonJS, so it has to transform the packages that are ES modules.
// The last three in the second pattern belong to msw.
module.exports = {
  transform: { '\\.m?js$': ['babel-jest', { plugins: ['@babel/plugin-transform-modules-commonjs'] }] },
  transformIgnorePatterns: ['/node_modules/(?!(shortlink-sdk|ky|@open-draft|rettime|until-async)/)'],
}
