import { LinkTabs } from '../../ui/link-tabs.tsx'

const LAND_LINKS = [
  { to: '/homes', word: 'Homes' },
  { to: '/communities', word: 'Communities' },
] as const

/** Shows the tabs for homes and communities. */
export function LandTabs() {
  return <LinkTabs label="Homes and communities" places={LAND_LINKS} />
}
