import { Links } from './links'

export default function Page() {
  return <Links />
}
