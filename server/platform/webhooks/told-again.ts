import type { WebhookWithSecret } from '../../../client/contract.gen.ts'
import type { Repeat } from '../calls/repeat.ts'
import { vault } from '../encryption/vault.ts'
import * as webhooks from './queries.ts'
import { placeOf } from './secret.ts'
import { mayTakeOver } from './takeover.ts'

/**
 * A client that lost the first response needs the secret, or its subscription is useless. The repeated response
 * contains the current secret, decrypted from where it is stored. A deleted subscription no longer has one. A client
 * that no longer owns the subscription does not get it, because another user may have replaced the secret since.
 */
export const secretToldAgain: Repeat = {
  conceal({ secret: _, ...rest }: Partial<WebhookWithSecret>) {
    return rest
  },

  async reveal(body, call) {
    const { id } = body as WebhookWithSecret
    const sealed = await webhooks.sealedSecret(call, id)
    if (sealed === null || !mayTakeOver(call, await webhooks.find(call, id))) return null
    const { organizationId, surroundings } = call
    return { ...body, secret: vault(surroundings.config.encryptionKey).open(sealed, placeOf(organizationId, id)) }
  },
}
