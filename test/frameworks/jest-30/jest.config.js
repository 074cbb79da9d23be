// The packages in the second pattern are those of msw.
module.exports = {
  transform: { '\\.m?js$': ['babel-jest', { plugins: ['@babel/plugin-transform-modules-commonjs'] }] },
  transformIgnorePatterns: ['/node_modules/(?!(shortlink-sdk|ky|@open-draft|rettime|until-async)/)'],
}
