import { testSiteIn } from './site.ts'

testSiteIn('Firefox')
