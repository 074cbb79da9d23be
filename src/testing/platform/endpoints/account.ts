import type { Endpoints } from '../endpoint.ts'
import { email, parseParameters, text } from '../parameters.ts'

export const account = {
  'GET /account': ({ data }) => {
    const { password: _, ...shown } = data.account
    return { error: 0, data: shown }
  },

  'PUT /account/update': ({ data, body }) => {
    Object.assign(data.account, parseParameters(body, { email, password: text }))
    return { error: 0, message: 'Account has been successfully updated.' }
  },
} satisfies Endpoints
