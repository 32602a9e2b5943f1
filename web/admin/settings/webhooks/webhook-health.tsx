import type { Webhook } from '../../../../client/contract.gen.ts'
import { Badge } from '../../../ui/badge.tsx'
import { type Look, STATUS_LOOKS } from '../../../ui/status-styles.ts'

/** Failed attempts in a row after which the service disables a subscription. */
export const MAX_FAILURES = 50

const FAILING_LOOK: Look = { word: 'Failing', tone: 'warn', shape: 'tri' }
const PAUSED_LOOK: Look = { word: 'Paused', tone: 'calm', shape: 'pause' }

/**
 * Returns the health of a subscription. An active one may be failing, and a disabled one may have been disabled
 * deliberately.
 */
export function chooseHealthLook({ status, disabledReason, consecutiveFailures }: Webhook): Look {
  if (status === 'disabled') return disabledReason === 'requested' ? PAUSED_LOOK : STATUS_LOOKS.webhook.disabled
  return consecutiveFailures > 0 ? FAILING_LOOK : STATUS_LOOKS.webhook.active
}

export function WebhookHealth({ webhook }: { webhook: Webhook }) {
  return <Badge look={chooseHealthLook(webhook)} />
}

/** Why nothing is sent, and what to do about it. */
export const DISABLED_REASONS: Record<NonNullable<Webhook['disabledReason']>, { why: string; next: string }> = {
  requested: { why: 'The webhook was paused.', next: 'Resume it to send the kept events.' },
  failures: {
    why: `${MAX_FAILURES} attempts in a row failed.`,
    next: 'Fix the receiver, send a test, then resume.',
  },
  gone: {
    why: 'The receiver returned 410 Gone, so we stopped sending.',
    next: 'Change the URL, or resume the webhook.',
  },
  owner_revoked: {
    why: 'The owner of this webhook no longer has access to its events.',
    next: 'Resume it to become its owner.',
  },
}

/** Returns the host, such as `hooks.example.com`, by which people distinguish receivers. */
export function getHost(url: string): string {
  try {
    return new URL(url).host
  } catch {
    return url
  }
}
