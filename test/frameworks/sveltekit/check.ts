import { checkSite } from '../site.ts'

checkSite({ path: '/server' }, '/universal')
