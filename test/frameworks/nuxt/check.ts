import { testSite } from '../site.ts'

testSite({ path: '/api/links' })
