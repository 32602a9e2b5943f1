import type { WebhookWithSecret } from '../../../client/contract.gen.ts'
import type { RepeatRules } from '../calls/repeated-response.ts'
import { createVault } from '../encryption/vault.ts'
import * as webhooks from './queries.ts'
import { canManageWebhook } from './takeover.ts'
import { getSecretEncryptionContext } from './webhook-secret.ts'

/**
 * If a client repeats a request because it did not receive the response, it needs the secret. Without the secret, it
 * cannot verify deliveries. The repeated response contains the current secret, which is stored encrypted. A deleted
 * subscription has no secret. A client that does not own the subscription anymore does not receive the secret, because
 * another user may have replaced it.
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
