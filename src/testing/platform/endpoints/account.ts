import type { Endpoints } from '../endpoint.ts'
import { email, given, text } from '../parameters.ts'

export const account: Endpoints = {
  'GET /account': ({ data }) => {
    const { password: _, ...shown } = data.account
    return { error: 0, data: shown }
  },

  'PUT /account/update': ({ data, body }) => {
    Object.assign(data.account, given(body, { email, password: text }))
    return { error: 0, message: 'Account has been successfully updated.' }
  },
}
