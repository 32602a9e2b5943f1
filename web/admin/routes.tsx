import type { ReactNode } from 'react'
import { Navigate, type RouteObject } from 'react-router'
import { FailurePage, NotFoundPage } from './failure-page.tsx'
import type { PageSegment } from './pages.ts'
import { Shell } from './shell.tsx'

type PageAddress = '' | PageSegment | `${PageSegment}/${string}`
/** A route must start with a segment that the server knows. Otherwise, it does not compile. */
const pageRoute = (path: PageAddress, load: () => Promise<{ Component: () => ReactNode }>): RouteObject => ({
  ...{ path, lazy: () => load().catch(createFailingPage), errorElement: <FailurePage /> },
})

/**
 * Returns a page that shows why the code of the requested page could not be loaded. The router would show an empty
 * page.
 */
function createFailingPage(error: unknown): { Component: () => ReactNode } {
  return {
    Component() {
      throw error
    },
  }
}

/** The routes of all pages. The code of a page is loaded when the page is first opened. */
export const routes: RouteObject[] = [
  {
    element: <Shell />,
    errorElement: <FailurePage />,
    // While the first page loads, keeps the document as the server sent it.
    hydrateFallbackElement: <div className="app" />,
    children: [
      { index: true, element: <Navigate to="/today" replace /> },
      pageRoute('today', () => import('./today/today.tsx')),
      pageRoute('bidding', () => import('./bidding/requests.tsx')),
      pageRoute('bidding/new', () => import('./bidding/new-request.tsx')),
      pageRoute('bidding/:bidRequestId', () => import('./bidding/request.tsx')),
      pageRoute('vendors', () => import('./vendors/vendors.tsx')),
      { path: 'vendors/import', element: <Navigate to="/imports?kind=vendor" replace /> },
      pageRoute('vendors/:vendorId', () => import('./vendors/vendor.tsx')),
      pageRoute('settings/keys', () => import('./settings/keys.tsx')),
      pageRoute('settings/keys/:keyId', () => import('./settings/key.tsx')),
      pageRoute('settings/apps', () => import('./settings/apps.tsx')),
      pageRoute('settings/webhooks', () => import('./settings/webhooks/webhooks.tsx')),
      pageRoute('settings/webhooks/:webhookId', () => import('./settings/webhooks/webhook.tsx')),
      pageRoute(
        'settings/webhooks/:webhookId/deliveries/:deliveryId',
        () => import('./settings/webhooks/delivery.tsx'),
      ),
      pageRoute('settings/people', () => import('./settings/people/people.tsx')),
      pageRoute('settings/people/roles', () => import('./settings/people/roles.tsx')),
      pageRoute('settings/organization', () => import('./settings/organization.tsx')),
      { path: 'settings/periods', element: <Navigate to="/accounting/periods" replace /> },
      pageRoute('settings/usage', () => import('./settings/usage/usage.tsx')),
      pageRoute('settings/events', () => import('./settings/events/events.tsx')),
      pageRoute('settings/events/:eventId', () => import('./settings/events/event.tsx')),
      pageRoute('settings/runs', () => import('./settings/runs/runs.tsx')),
      pageRoute('settings/runs/:executionId', () => import('./settings/runs/run.tsx')),
      pageRoute('settings/audit', () => import('./settings/audit.tsx')),
      pageRoute('settings/passkeys', () => import('./settings/passkeys.tsx')),
      pageRoute('settings/sessions', () => import('./settings/sessions.tsx')),
      pageRoute('communities', () => import('./homes/communities.tsx')),
      pageRoute('communities/:communityId', () => import('./homes/community.tsx')),
      pageRoute('homes', () => import('./homes/homes.tsx')),
      pageRoute('homes/new', () => import('./homes/new-home.tsx')),
      pageRoute('homes/:homeId', () => import('./homes/home.tsx')),
      pageRoute('homes/:homeId/edit', () => import('./homes/edit-home.tsx')),
      pageRoute('warranty', () => import('./warranty/requests.tsx')),
      pageRoute('warranty/visits', () => import('./warranty/visits.tsx')),
      pageRoute('warranty/terms', () => import('./warranty/terms.tsx')),
      pageRoute('orders', () => import('./orders/orders.tsx')),
      pageRoute('orders/approvals', () => import('./orders/approvals.tsx')),
      pageRoute('orders/new', () => import('./orders/new-order.tsx')),
      pageRoute('orders/issue', () => import('./orders/issue-orders.tsx')),
      pageRoute('orders/:poId', () => import('./orders/order.tsx')),
      pageRoute('orders/:poId/edit', () => import('./orders/edit-order.tsx')),
      pageRoute('orders/:poId/new/:kind', () => import('./orders/follow-up-order.tsx')),
      pageRoute('payments', () => import('./payments/payable.tsx')),
      pageRoute('payments/all', () => import('./payments/payments.tsx')),
      pageRoute('payments/runs', () => import('./payments/runs.tsx')),
      pageRoute('payments/runs/:paymentRunId', () => import('./payments/run.tsx')),
      pageRoute('payments/bills', () => import('./payments/bills/bills.tsx')),
      pageRoute('payments/bills/new', () => import('./payments/bills/new-bill.tsx')),
      pageRoute('payments/bills/:billId', () => import('./payments/bills/bill.tsx')),
      pageRoute('payments/bills/:billId/edit', () => import('./payments/bills/edit-bill.tsx')),
      pageRoute('payments/waivers', () => import('./payments/waivers.tsx')),
      pageRoute('payments/:paymentId', () => import('./payments/payment.tsx')),
      pageRoute('accounting', () => import('./accounting/sync-queue.tsx')),
      pageRoute('accounting/reconciliation', () => import('./accounting/reconciliation.tsx')),
      pageRoute('accounting/ledger', () => import('./accounting/ledger.tsx')),
      pageRoute('accounting/ledger/postings', () => import('./accounting/postings.tsx')),
      pageRoute('accounting/journals', () => import('./accounting/journals.tsx')),
      pageRoute('accounting/journals/new', () => import('./accounting/new-journal.tsx')),
      pageRoute('accounting/journals/:entryId', () => import('./accounting/journal.tsx')),
      pageRoute('accounting/periods', () => import('./accounting/periods.tsx')),
      pageRoute('accounting/form-1099', () => import('./accounting/form-1099.tsx')),
      pageRoute('accounting/export', () => import('./accounting/export.tsx')),
      pageRoute('time', () => import('./time/my-time.tsx')),
      pageRoute('time/week', () => import('./time/all-weeks.tsx')),
      pageRoute('time/approval', () => import('./time/approval.tsx')),
      pageRoute('time/payroll', () => import('./time/payroll.tsx')),
      pageRoute('time/:timesheetId', () => import('./time/timesheet.tsx')),
      pageRoute('messages', () => import('./messages/messages.tsx')),
      pageRoute('messages/new', () => import('./messages/new-message.tsx')),
      pageRoute('messages/emails', () => import('./messages/emails.tsx')),
      pageRoute('messages/templates', () => import('./messages/templates.tsx')),
      pageRoute('messages/templates/:messageTemplateId', () => import('./messages/template.tsx')),
      pageRoute('messages/:messageId', () => import('./messages/thread.tsx')),
      pageRoute('schedule', () => import('./schedule/look-ahead.tsx')),
      pageRoute('sales', () => import('./sales/leads.tsx')),
      pageRoute('sales/all', () => import('./sales/sales.tsx')),
      pageRoute('sales/leads/:leadId', () => import('./sales/lead.tsx')),
      pageRoute('sales/:saleId', () => import('./sales/sale.tsx')),
      pageRoute('catalogue', () => import('./catalogue/plans.tsx')),
      pageRoute('catalogue/plans/:planId', () => import('./catalogue/plan.tsx')),
      pageRoute('catalogue/plans/:planId/takeoff', () => import('./catalogue/edit-takeoff.tsx')),
      pageRoute('catalogue/options', () => import('./catalogue/options.tsx')),
      pageRoute('catalogue/options/:optionId', () => import('./catalogue/option.tsx')),
      pageRoute('catalogue/options/:optionId/takeoff', () => import('./catalogue/edit-option-takeoff.tsx')),
      pageRoute('catalogue/parts', () => import('./catalogue/parts.tsx')),
      pageRoute('catalogue/parts/change-prices', () => import('./catalogue/raise-prices.tsx')),
      pageRoute('catalogue/parts/:partId', () => import('./catalogue/part.tsx')),
      pageRoute('catalogue/contracts', () => import('./contracts/contracts.tsx')),
      pageRoute('catalogue/contracts/new', () => import('./contracts/new-contract.tsx')),
      pageRoute('catalogue/contracts/:contractId', () => import('./contracts/contract.tsx')),
      pageRoute('catalogue/contracts/:contractId/edit', () => import('./contracts/edit-contract.tsx')),
      pageRoute('catalogue/contracts/:contractId/reprice', () => import('./contracts/reprice-orders.tsx')),
      pageRoute('catalogue/cost-codes', () => import('./catalogue/cost-codes.tsx')),
      pageRoute('catalogue/trades', () => import('./catalogue/trades.tsx')),
      pageRoute('catalogue/task-templates', () => import('./catalogue/templates/templates.tsx')),
      pageRoute('catalogue/task-templates/new', () => import('./catalogue/templates/new-template.tsx')),
      pageRoute('catalogue/task-templates/:taskTemplateId', () => import('./catalogue/templates/template.tsx')),
      pageRoute(
        'catalogue/task-templates/:taskTemplateId/edit',
        () => import('./catalogue/templates/edit-template.tsx'),
      ),
      pageRoute('reports', () => import('./reports/reports.tsx')),
      pageRoute('reports/:name', () => import('./reports/report.tsx')),
      pageRoute('actions', () => import('./actions/actions.tsx')),
      pageRoute('actions/:name', () => import('./actions/action.tsx')),
      { path: 'agents', element: <Navigate to="/agents/proposals" replace /> },
      pageRoute('imports', () => import('./imports/imports.tsx')),
      pageRoute('imports/:importId', () => import('./imports/import.tsx')),
      pageRoute('agents/proposals', () => import('./agents/proposals.tsx')),
      pageRoute('agents/proposals/:proposalId', () => import('./agents/proposal.tsx')),
    ],
  },
  {
    ...pageRoute('sign-in', () => import('./sign-in/sign-in-page.tsx')),
    hydrateFallbackElement: <div className="door" />,
  },
  { path: '*', element: <NotFoundPage /> },
]
