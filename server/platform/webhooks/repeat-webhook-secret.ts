import type { WebhookWithSecret } from '../../../client/contract.gen.ts'
import type { RepeatRules } from '../calls/repeated-response.ts'
import { createVault } from '../encryption/vault.ts'
import * as webhooks from './queries.ts'
import { canManageWebhook } from './takeover.ts'
import { getSecretEncryptionContext } from './webhook-secret.ts'

/**
 * A client that lost the first response needs the secret. Without the secret, the subscription is useless. The repeated
 * response contains the current secret, decrypted from its stored form. A deleted subscription no longer has a secret.
 * If a client no longer owns the subscription, it does not get the secret, because another user may have replaced the
 * secret in the meantime.
 */
export const repeatWebhookSecret: RepeatRules = {
  conceal({ secret: _, ...rest }: Partial<WebhookWithSecret>) {
    return rest
  },

  async reveal(body, call) {
    const { id } = body as WebhookWithSecret
    const sealed = await webhooks.findSealedSecret(call, id)
    if (sealed === null || !canManageWebhook(call, await webhooks.find(call, id))) return null
    const { organizationId, services } = call
    return {
      ...body,
      secret: createVault(services.config.encryptionKey).open(sealed, getSecretEncryptionContext(organizationId, id)),
    }
  },
}
