module.exports = {
  // For msw alone, which uses packages that are ES modules only: Jest has to be told to transform them.
  transform: { '\\.m?js$': ['babel-jest', { plugins: ['@babel/plugin-transform-modules-commonjs'] }] },
  transformIgnorePatterns: ['/node_modules/(?!(@open-draft|rettime|until-async)/)'],
}
