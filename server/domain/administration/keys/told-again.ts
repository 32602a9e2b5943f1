import type { Repeat } from '../../../platform/calls/repeat.ts'

/** A secret is kept nowhere, so a repeat shows the key without it; rotateKey gives it another one. */
export const keyToldAgain: Repeat = {
  conceal(body) {
    return { ...body, secret: null }
  },

  async reveal(body) {
    return body
  },
}
