import type { RepeatRules } from '../../../platform/calls/repeated-response.ts'

/**
 * The service does not store secrets, so the repeated response to a request that creates a key has no secret. To get a
 * new secret, the client can call rotateKey.
 */
export const repeatKeySecret: RepeatRules = {
  conceal(body) {
    return { ...body, secret: null }
  },

  async reveal(body) {
    return body
  },
}
