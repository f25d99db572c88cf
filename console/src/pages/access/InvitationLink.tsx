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
      <p className="plain">
        Hand this link on. It works once, ends <Ago at={made.expires_at} />, and is shown this once; it went
        out by mail too, where mail is set up.
      </p>
      <Copied text={made.link} block />
      <div className="row end">
        <Button look="main" onClick={close}>
          I have it
        </Button>
      </div>
    </Dialog>
  );
}
