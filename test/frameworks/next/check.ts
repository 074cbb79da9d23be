import { testSite } from '../site.ts'

testSite({ path: '/api/links', method: 'POST', body: '{"url":"https://shop.example"}' })
