import { checkSite } from '../site.ts'

checkSite('/universal')
