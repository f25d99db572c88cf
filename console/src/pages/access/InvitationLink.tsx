// The link by which somebody comes in; it is shown this once.
import { Ago } from "@/ui/Ago";
import { Button } from "@/ui/Button";
import { Copied } from "@/ui/Copied";
import { Dialog } from "@/ui/Dialog";

export interface Invitation {
  name: string;
  email: string;
  link: string;
  expires_at: string;
}

export function InvitationLink({ made, close }: { made: Invitation; close: () => void }) {
  return (
    <Dialog open title={`${made.email} is invited`} close={close}>
      {made.link ? (
        <>
          <p className="plain">
            Hand this link on. It works once, ends <Ago at={made.expires_at} />, and is shown this once.
          </p>
          <Copied text={made.link} block />
        </>
      ) : (
        <p className="plain">
          The link went out by mail. It works once and ends <Ago at={made.expires_at} />.
        </p>
      )}
      <div className="row end">
        <Button look="main" onClick={close}>
          I have it
        </Button>
      </div>
    </Dialog>
  );
}
