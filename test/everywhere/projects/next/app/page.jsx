import { Campaigns } from './campaigns'

export default function Page() {
  return <Campaigns />
}
