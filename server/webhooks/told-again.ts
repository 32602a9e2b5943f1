import type { WebhookWithSecret } from '../../client/contract.gen.ts'
import { vault } from '../encryption/vault.ts'
import type { Repeat } from '../http/repeat.ts'
import * as webhooks from './queries.ts'
import { placeOf } from './secret.ts'

/**
 * A client that lost the first answer needs the secret, or its subscription is of no use to it. It is told the one that
 * the subscription has now, from where that lies sealed; of a deleted subscription there is none.
 */
export const secretToldAgain: Repeat = {
  conceal({ secret: _, ...rest }: Partial<WebhookWithSecret>) {
    return rest
  },

  async reveal(body, call) {
    const { id } = body as WebhookWithSecret
    const sealed = await webhooks.sealedSecret(call, id)
    if (sealed === null) return null
    const { organizationId, surroundings } = call
    return { ...body, secret: vault(surroundings.config.encryptionKey).open(sealed, placeOf(organizationId, id)) }
  },
}
