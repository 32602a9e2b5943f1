import type { WebhookWithSecret } from '../../../../client/contract.gen.ts'
import { Code } from '../../../ui/code.tsx'
import { SecretDialog } from '../../../ui/secret-dialog.tsx'
import { Health, hostOf } from './health.tsx'

/** The secret that a subscription signs with, and how a receiver checks it. */
export function WebhookSecret({ webhook, onClose }: { webhook: WebhookWithSecret; onClose(): void }) {
  return (
    <SecretDialog
      title={hostOf(webhook.url)}
      note={<Health webhook={webhook} />}
      secret={webhook.secret}
      ifLost="The receiver checks with it that what arrives comes from here. If it is lost, rotate it: for a day both are signed with."
      isLost="The webhook is there: rotate its secret to get another one."
      onClose={onClose}
    >
      <Code
        label="Check what arrives"
        copied="The code"
        text={
          "import { verifyWebhook } from '@plumbline/client/webhooks'\n\nconst event = await verifyWebhook({ headers, body }, secret)"
        }
      />
    </SecretDialog>
  )
}
