import { LinkTabs } from '../../ui/link-tabs.tsx'

const PAYMENT_LINKS = [
  { to: '/payments', word: 'Payable' },
  { to: '/payments/bills', word: 'Bills' },
  { to: '/payments/all', word: 'Payments' },
  { to: '/payments/runs', word: 'Runs' },
  { to: '/payments/waivers', word: 'Lien waivers' },
] as const

/** Shows the tabs for payments: payable orders, bills, payments, runs, and lien waivers. */
export function PaymentsTabs() {
  return <LinkTabs label="Payments" places={PAYMENT_LINKS} />
}
