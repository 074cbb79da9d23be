import { defineEnvVars } from '@sveltejs/kit/env'

// The variables that the server may read. `undefined` is let through, so that a build does not need them.
const optional = { schema: (value: string | undefined) => value }

export const variables = defineEnvVars({ SHORTLINK_BASE_URL: optional, SHORTLINK_API_KEY: optional })
