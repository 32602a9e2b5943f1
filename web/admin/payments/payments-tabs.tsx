import { PlaceTabs } from '../../ui/place-tabs.tsx'

const PLACES = [
  { to: '/payments', word: 'Payable' },
  { to: '/payments/all', word: 'Payments' },
  { to: '/payments/runs', word: 'Runs' },
  { to: '/payments/waivers', word: 'Lien waivers' },
] as const

/** Tabs for payments: payable orders, payments, runs and lien waivers. */
export function PaymentsTabs() {
  return <PlaceTabs label="Payments" places={PLACES} />
}
