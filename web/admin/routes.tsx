import type { ReactNode } from 'react'
import { Navigate, type RouteObject } from 'react-router'
import { Failure, NoSuchPage } from './failure.tsx'
import type { PageSegment } from './pages.ts'
import { Shell } from './shell.tsx'

type Address = '' | PageSegment | `${PageSegment}/${string}`
/** A route must start with a segment that the server knows; anything else does not compile. */
const page = (path: Address, lazy: () => Promise<{ Component: () => ReactNode }>): RouteObject => ({
  ...{ path, lazy, errorElement: <Failure /> },
})

/** Every page. Each is loaded when it is first opened. */
export const routes: RouteObject[] = [
  {
    element: <Shell />,
    errorElement: <Failure />,
    // While the first page loads, the document stays as the server sent it.
    hydrateFallbackElement: <div className="app" />,
    children: [
      { index: true, element: <Navigate to="/today" replace /> },
      page('today', () => import('./today/today.tsx')),
      page('bidding', () => import('./bidding/requests.tsx')),
      page('bidding/new', () => import('./bidding/new-request.tsx')),
      page('bidding/:bidRequestId', () => import('./bidding/request.tsx')),
      page('vendors', () => import('./vendors/vendors.tsx')),
      page('vendors/import', () => import('./vendors/import.tsx')),
      page('vendors/:vendorId', () => import('./vendors/vendor.tsx')),
      page('settings/keys', () => import('./settings/keys.tsx')),
      page('settings/keys/:keyId', () => import('./settings/key.tsx')),
      page('settings/apps', () => import('./settings/apps.tsx')),
      page('settings/webhooks', () => import('./settings/webhooks/webhooks.tsx')),
      page('settings/webhooks/:webhookId', () => import('./settings/webhooks/webhook.tsx')),
      page('settings/webhooks/:webhookId/deliveries/:deliveryId', () => import('./settings/webhooks/delivery.tsx')),
      page('settings/people', () => import('./settings/people/people.tsx')),
      page('settings/people/roles', () => import('./settings/people/roles.tsx')),
      page('settings/organization', () => import('./settings/organization.tsx')),
      page('settings/usage', () => import('./settings/usage/usage.tsx')),
      page('settings/events', () => import('./settings/events/events.tsx')),
      page('settings/events/:eventId', () => import('./settings/events/event.tsx')),
      page('settings/runs', () => import('./settings/runs/runs.tsx')),
      page('settings/runs/:executionId', () => import('./settings/runs/run.tsx')),
      page('settings/audit', () => import('./settings/audit.tsx')),
      page('settings/passkeys', () => import('./settings/passkeys.tsx')),
      page('settings/sessions', () => import('./settings/sessions.tsx')),
      page('communities', () => import('./homes/communities.tsx')),
      page('communities/:communityId', () => import('./homes/community.tsx')),
      page('homes', () => import('./homes/homes.tsx')),
      page('homes/:homeId', () => import('./homes/home.tsx')),
      page('orders', () => import('./orders/orders.tsx')),
      page('orders/approvals', () => import('./orders/approvals.tsx')),
      page('orders/new', () => import('./orders/new-order.tsx')),
      page('orders/:purchaseOrderId', () => import('./orders/order.tsx')),
      page('payments', () => import('./payments/payable.tsx')),
      page('payments/all', () => import('./payments/payments.tsx')),
      page('payments/runs', () => import('./payments/runs.tsx')),
      page('payments/runs/:paymentRunId', () => import('./payments/run.tsx')),
      page('payments/waivers', () => import('./payments/waivers.tsx')),
      page('payments/:paymentId', () => import('./payments/payment.tsx')),
      page('schedule', () => import('./schedule/look-ahead.tsx')),
      page('sales', () => import('./sales/leads.tsx')),
      page('sales/all', () => import('./sales/sales.tsx')),
      page('sales/leads/:leadId', () => import('./sales/lead.tsx')),
      page('sales/:saleId', () => import('./sales/sale.tsx')),
      page('catalogue', () => import('./catalogue/plans.tsx')),
      page('catalogue/plans/:planId', () => import('./catalogue/plan.tsx')),
      page('catalogue/options', () => import('./catalogue/options.tsx')),
      page('catalogue/options/:optionId', () => import('./catalogue/option.tsx')),
      page('catalogue/parts', () => import('./catalogue/parts.tsx')),
      page('catalogue/parts/:partId', () => import('./catalogue/part.tsx')),
      page('catalogue/cost-codes', () => import('./catalogue/cost-codes.tsx')),
      { path: 'agents', element: <Navigate to="/agents/proposals" replace /> },
      page('agents/proposals', () => import('./agents/proposals.tsx')),
      page('agents/proposals/:proposalId', () => import('./agents/proposal.tsx')),
    ],
  },
  { ...page('sign-in', () => import('./sign-in/page.tsx')), hydrateFallbackElement: <div className="door" /> },
  { path: '*', element: <NoSuchPage /> },
]
