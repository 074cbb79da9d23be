import { Outlet, Scripts } from 'react-router'
import type { Route } from './+types/root'

export const headers: Route.HeadersFunction = ({ errorHeaders }) => errorHeaders ?? {}

export default function Root() {
  return (
    <html lang="en">
      <body>
        <Outlet />
        <Scripts />
      </body>
    </html>
  )
}
