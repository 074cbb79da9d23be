import { checkSite } from '../site.ts'

checkSite({ path: '/api/links', method: 'POST', body: '{"url":"https://shop.example"}' })
