import { testSiteIn } from './site.ts'

testSiteIn('Chromium')
