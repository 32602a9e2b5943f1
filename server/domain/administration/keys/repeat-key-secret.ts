import type { RepeatRules } from '../../../platform/calls/repeated-response.ts'

/**
 * Secrets are not stored, so the repeated response to a create request has no secret. The client can call rotateKey for
 * a new secret.
 */
export const repeatKeySecret: RepeatRules = {
  conceal(body) {
    return { ...body, secret: null }
  },

  async reveal(body) {
    return body
  },
}
