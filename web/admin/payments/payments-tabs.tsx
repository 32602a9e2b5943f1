import { PlaceTabs } from '../../ui/place-tabs.tsx'

const PLACES = [
  { to: '/payments', word: 'Payable' },
  { to: '/payments/all', word: 'Payments' },
  { to: '/payments/runs', word: 'Runs' },
  { to: '/payments/waivers', word: 'Lien waivers' },
] as const

/** What can be paid, what was, and what vendors sign for it. */
export function PaymentsTabs() {
  return <PlaceTabs label="Payments" places={PLACES} />
}
