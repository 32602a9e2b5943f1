import { useCan } from '../../api/session.ts'
import { LinkTabs } from '../../ui/link-tabs.tsx'

const ACCOUNTING_LINKS = [
  { to: '/accounting', word: 'Sync queue', needs: 'payments:read' },
  { to: '/accounting/reconciliation', word: 'Reconciliation', needs: 'payments:read' },
  { to: '/accounting/ledger', word: 'Ledger', needs: 'ledger:read' },
  { to: '/accounting/journals', word: 'Journals', needs: 'ledger:read' },
  { to: '/accounting/periods', word: 'Periods', needs: 'ledger:read' },
  { to: '/accounting/form-1099', word: 'Form 1099', needs: 'payments:read' },
  { to: '/accounting/export', word: 'Export', needs: 'payments:read' },
] as const

/** Tabs for the work of an accountant. */
export function AccountingTabs() {
  const can = useCan()
  return <LinkTabs label="Accounting" places={ACCOUNTING_LINKS.filter(({ needs }) => can(needs))} />
}
