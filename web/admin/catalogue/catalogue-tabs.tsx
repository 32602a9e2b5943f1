import { LinkTabs } from '../../ui/link-tabs.tsx'

const CATALOGUE_LINKS = [
  { to: '/catalogue', word: 'Plans' },
  { to: '/catalogue/options', word: 'Options' },
  { to: '/catalogue/parts', word: 'Parts and prices' },
  { to: '/catalogue/contracts', word: 'Vendor contracts' },
  { to: '/catalogue/cost-codes', word: 'Cost codes' },
] as const

/** Shows the tabs of the catalog: plans, options, parts, vendor contracts, and cost codes. */
export function CatalogueTabs() {
  return <LinkTabs label="Catalog" places={CATALOGUE_LINKS} />
}
