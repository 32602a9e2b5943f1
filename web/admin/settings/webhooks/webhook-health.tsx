import type { Webhook } from '../../../../client/contract.gen.ts'
import { Badge } from '../../../ui/badge.tsx'
import { type Look, STATUS_LOOKS } from '../../../ui/status-styles.ts'

/** The number of consecutive failed attempts after which the service disables a subscription. */
export const MAX_FAILURES = 50

const FAILING_LOOK: Look = { word: 'Failing', tone: 'warn', shape: 'tri' }
const PAUSED_LOOK: Look = { word: 'Paused', tone: 'calm', shape: 'pause' }

/**
 * Returns the health of a subscription. An active subscription may be failing, and a disabled one may have been
 * disabled on purpose.
 */
export function chooseHealthLook({ status, disabledReason, consecutiveFailures }: Webhook): Look {
  if (status === 'disabled') return disabledReason === 'requested' ? PAUSED_LOOK : STATUS_LOOKS.webhook.disabled
  return consecutiveFailures > 0 ? FAILING_LOOK : STATUS_LOOKS.webhook.active
}

export function WebhookHealth({ webhook }: { webhook: Webhook }) {
  return <Badge look={chooseHealthLook(webhook)} />
}

/** The reasons why nothing is sent, each with its remedy. */
export const DISABLED_REASONS: Record<NonNullable<Webhook['disabledReason']>, { why: string; next: string }> = {
  requested: { why: 'The webhook was paused.', next: 'Resume the webhook to send the kept events.' },
  failures: {
    why: `${MAX_FAILURES} attempts in a row failed.`,
    next: 'Fix the receiver, send a test, and then resume the webhook.',
  },
  gone: {
    why: 'The receiver returned 410 Gone, so no more events are sent.',
    next: 'Change the URL, or resume the webhook.',
  },
  owner_revoked: {
    why: 'The owner of this webhook no longer has access to its events.',
    next: 'Resume the webhook to become its owner.',
  },
}

/** Returns the host of a URL, such as `hooks.example.com`. Users distinguish receivers by their hosts. */
export function getHost(url: string): string {
  try {
    return new URL(url).host
  } catch {
    return url
  }
}
