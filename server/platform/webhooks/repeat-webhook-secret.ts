import type { WebhookWithSecret } from '../../../client/contract.gen.ts'
import type { RepeatRules } from '../calls/repeated-response.ts'
import { createVault } from '../encryption/vault.ts'
import * as webhooks from './queries.ts'
import { canManage } from './takeover.ts'
import { secretSealContext } from './webhook-secret.ts'

/**
 * A client that lost the first response needs the secret, or its subscription is useless. The repeated response
 * contains the current secret, decrypted from where it is stored. A deleted subscription no longer has one. A client
 * that no longer owns the subscription does not get it, because another user may have replaced the secret since.
 */
export const repeatWebhookSecret: RepeatRules = {
  conceal({ secret: _, ...rest }: Partial<WebhookWithSecret>) {
    return rest
  },

  async reveal(body, call) {
    const { id } = body as WebhookWithSecret
    const sealed = await webhooks.findSealedSecret(call, id)
    if (sealed === null || !canManage(call, await webhooks.find(call, id))) return null
    const { organizationId, services } = call
    return {
      ...body,
      secret: createVault(services.config.encryptionKey).open(sealed, secretSealContext(organizationId, id)),
    }
  },
}
