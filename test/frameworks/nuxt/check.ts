import { checkSite } from '../site.ts'

checkSite({ path: '/api/links' })
