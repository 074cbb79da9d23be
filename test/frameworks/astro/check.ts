import { testSite } from '../site.ts'

testSite({ path: '/server' })
