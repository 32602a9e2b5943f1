import { LinkTabs } from '../../ui/link-tabs.tsx'

const SALES_LINKS = [
  { to: '/sales', word: 'Leads' },
  { to: '/sales/all', word: 'Sales' },
] as const

/** Shows the tabs for leads and sales. */
export function SalesTabs() {
  return <LinkTabs label="Sales" places={SALES_LINKS} />
}
