import { index, type RouteConfig, route } from '@react-router/dev/routes'

export default [
  index('routes/home.tsx'),
  route('server', 'routes/server.tsx'),
  route('api/shortlink/*', 'routes/shortlink.ts'),
] satisfies RouteConfig
