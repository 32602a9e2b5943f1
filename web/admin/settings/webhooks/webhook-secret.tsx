import type { WebhookWithSecret } from '../../../../client/contract.gen.ts'
import { Code } from '../../../ui/code.tsx'
import { SecretDialog } from '../../../ui/secret-dialog.tsx'
import { getHost, WebhookHealth } from './webhook-health.tsx'

/** Shows the signing secret of a subscription, and how a receiver verifies signatures. */
export function WebhookSecret({ webhook, onClose }: { webhook: WebhookWithSecret; onClose(): void }) {
  return (
    <SecretDialog
      title={getHost(webhook.url)}
      note={<WebhookHealth webhook={webhook} />}
      secret={webhook.secret}
      ifLost="The receiver uses the secret to verify that events come from Plumbline. If you lose the secret, rotate it. For one day after that, events are signed with both secrets."
      isLost="The webhook was created. Rotate the secret of the webhook to get a new secret."
      onClose={onClose}
    >
      <Code
        label="Verify events"
        copied="The code"
        text={
          "import { verifyWebhook } from '@plumbline/client/webhooks'\n\nconst event = await verifyWebhook({ headers, body }, secret)"
        }
      />
    </SecretDialog>
  )
}
